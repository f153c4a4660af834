import { lessonStoreContract } from '../testing/lesson-store-contract.ts';
import { inMemoryLessons } from './in-memory-lessons.ts';

lessonStoreContract('in memory', (options) => ({ store: inMemoryLessons(options) }));
