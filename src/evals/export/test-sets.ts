/** Public test sets by the words of their names. Who trains on one cannot measure with it any more. */
const names: readonly RegExp[] = [
  /gsm[-_ ]?(?:8k|hard)/,
  /\bsvamp\b/,
  /\baqua(?:[-_ ]?rat)?\b/,
  /\bmath[-_ ]?500\b/,
  /\baime\b/,
  /\bmmlu\b/,
  /\bgpqa\b/,
  /hotpot[-_ ]?qa/,
  /\bfever\b/,
  /\b(?:strategy|common[-_ ]?sense|truthful|trivia|web|drop[-_ ]?)qa\b/,
  /simple[-_ ]?qa/,
  /human[-_ ]?eval/,
  /\bmbpp\b/,
  /crux[-_ ]?eval/,
  /\bswe[-_ ]?bench\b/,
  /\bbfcl\b|berkeley[-_ ]function/,
  /\btau[-_ ]?2?[-_ ]?bench|τ-?bench/,
  /\bagent[-_ ]?dojo\b/,
  /\bgaia\b/,
  /\balf[-_ ]?world\b/,
  /\bweb[-_ ]?(?:shop|arena)\b/,
  /game[-_ ]?(?:of[-_ ]?)?24/,
  /\b(?:hella[-_ ]?swag|wino[-_ ]?grande|arc[-_ ](?:easy|challenge)|big[-_ ]?bench)\b/,
];

/** Whether a suite of this name holds the tasks of a public test set. */
export function isPublicTestSet(suite: string): boolean {
  const lower = suite.toLowerCase().replaceAll(/[_.]/g, '-');
  return names.some((name) => name.test(lower));
}
