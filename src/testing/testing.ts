export {
  type ScriptedReply,
  type ScriptFunction,
  type ScriptRule,
  scriptedModel,
} from '../model/providers/script-model.ts';
export { callFinal, callTool, callTools } from './replies.ts';
