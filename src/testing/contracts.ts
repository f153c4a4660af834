export { blobStoreContract } from './blob-store-contract.ts';
export { durableContract } from './durable-contract.ts';
export { eventStoreContract } from './event-store-contract.ts';
export { lessonStoreContract } from './lesson-store-contract.ts';
export { runIndexContract } from './run-index-contract.ts';
