/** A model of llama.cpp in a process of its own: native code that crashes takes nothing else down. */
import { serveLocalModel } from '../../model/local/serve-local-model.ts';

serveLocalModel();
