export { durableContract } from './durable-contract.ts';
export { lessonStoreContract } from './lesson-store-contract.ts';
