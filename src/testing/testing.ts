export {
  type ScriptedReply,
  type ScriptFunction,
  type ScriptRule,
  scriptedModel,
} from '../model/providers/script-model.ts';
export { callFinal, callTool, callTools } from './replies.ts';
export {
  startVendorServer,
  type VendorAnswer,
  type VendorCall,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
  type VendorServerOptions,
  vendorEnvironment,
} from './vendor-server.ts';
