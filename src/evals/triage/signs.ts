/** Words by which outages, empty results and answers without an answer are known, in English and Chinese. */
import type { Seen } from './facts.ts';

const service =
  /time[d -]?out|ECONN|ENOTFOUND|EAI_AGAIN|ENETUNREACH|fetch failed|network|connection (?:refused|reset|closed|error)|no connection|socket hang up|overloaded|unavailable|bad gateway|rate.?limit|limits the rate|too many requests|quota|nothing left|refused the key|api.?key|unauthori[sz]ed|\b(?:HTTP |status |\()?(?:401|403|429|50[0-4]|529)\b|provider failed|provider does not know|超时|没有响应|无响应|连接(?:失败|被拒绝)|服务不可用|限流/i;

/** Whether the words tell of a service, a network or a key that failed, whatever was asked. */
export function tellsOutage(text: string): boolean {
  return service.test(text);
}

const longestEmpty = 160;
const nothing =
  /^\s*(?:\[\s*\]|\{\s*\}|null|none|"")?\s*$|\bno (?:more )?(?:results?|match(?:es|ing)?|entr(?:y|ies)|rows?|records?|passages?|hits?|data)\b|\b0 (?:rows|results|matches)\b|\bnot found\b|could not find|nothing (?:was )?found|没有(?:找到|匹配|结果|记录|相关)|未找到|无结果|查无/i;

/** Whether a result says that there is nothing. */
export function isEmptyResult({ observation }: Seen): boolean {
  const { content } = observation;
  if (/^\s*could not find/i.test(content)) return true;
  return content.length <= longestEmpty && nothing.test(content);
}

/** Whether it says that there is nothing at all, and names nothing near and no page before. */
export function isAbsent(seen: Seen): boolean {
  return isEmptyResult(seen) && !/similar|did you mean|no more|类似|您是不是/i.test(seen.observation.content);
}

const openEnded =
  /cannot be (?:determined|answered|known)|can(?:no|')t (?:determine|answer|find|tell|say)|could ?n[o']t (?:be )?(?:find|found|determine|look)|could not (?:be )?(?:find|found|determined?|look)|unable to|not enough info|insufficient information|does not say|do(?:es)? not (?:contain|state|mention)|not (?:known|available|found|stated)|unknown|no tool works|无法|信息不足|没有找到|未找到|不知道|不清楚|没有这一项|没有可用/i;
const longestRefusal = 240;

/** Whether an answer says that there is no answer. */
export function leavesOpen(answer: string): boolean {
  return answer.length <= longestRefusal && openEnded.test(answer);
}

/** Tools that compute from what they are given and look nothing up. */
const computing = /^(?:calc\w*|compute|run_?code|python\w*|code_interpreter|think)$/i;

export function looksUp({ observation }: Seen): boolean {
  return !computing.test(observation.tool);
}
