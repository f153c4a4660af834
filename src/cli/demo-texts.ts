/** What the demo says, by language. */
import { count } from './numbers.ts';

export type DemoLanguage = 'en' | 'zh';

/** What a run took. */
export interface DemoWork {
  modelCalls: number;
  tokens: number;
}

export interface DemoTexts {
  /** The sample's scripts know these very words. */
  question: string;
  /** So is this. */
  offer: string;
  /** What `assay serve --demo` calls its agents, and the tasks it offers. */
  agents: { desk: string; offer: string };
  samples: { desk: string; offer: string };
  scripted: string;
  live(model: string): string;
  firstRun: string;
  secondRun: string;
  happened: string;
  answered(status: string, revisions: number): string;
  kept: string;
  notKept: string;
  recalled: string;
  /** The work of the second run beside that of the first. */
  compared(first: DemoWork, second: DemoWork): string;
  next: string;
  look: string;
  memory: string;
  page: string;
  own: string;
  model: string;
}

export const demoTexts: Readonly<Record<DemoLanguage, DemoTexts>> = {
  en: {
    question: 'SKU-42, 37 units at ten percent off: what is the total?',
    offer: 'Send the Saltmarsh Museum an offer for 12 units of SKU-71.',
    agents: { desk: 'price desk', offer: 'send offer' },
    samples: { desk: 'What does an order cost?', offer: 'Send an offer (you are asked before it goes out)' },
    scripted: 'The model of this demo is scripted: no key, no network. The tools, checks, journal and memory are real.',
    live: (model) => `This demo asks a real model, ${model}. The tools, checks, journal and memory are real too.`,
    firstRun: 'First run: a question about the price desk of a small trading house (examples/price-desk)',
    secondRun: 'Second run: the same question, now with what the first one taught',
    happened: 'What happened',
    answered: (status, revisions) =>
      revisions > 0
        ? `The first draft did not pass the checks; it was repaired and ended as ${status}.`
        : `The run ended as ${status}, with no repair.`,
    kept: 'What went wrong became a lesson.',
    notKept: 'No lesson was kept.',
    recalled: 'The second run recalled it before it began.',
    compared: (first, second) =>
      `Model calls: ${count(first.modelCalls)}, then ${count(second.modelCalls)}. Tokens: ${count(first.tokens)}, then ${count(second.tokens)}.`,
    next: 'What next',
    look: 'every step of the run',
    memory: 'what is remembered',
    page: 'the same in the browser',
    own: 'a question about your own files',
    model: 'how to use a real model',
  },
  zh: {
    question: 'SKU-42 买 37 件，打九折，总价是多少？',
    offer: '给盐沼博物馆发送一份报价：12 件 SKU-71。',
    agents: { desk: '价目台', offer: '发送报价' },
    samples: { desk: '一笔订单多少钱？', offer: '发送一份报价（发出前会先问你）' },
    scripted: '本演示的模型是脚本：不需要密钥，也不联网。工具、检查、日志和记忆都是真实运行的。',
    live: (model) => `本演示使用真实模型 ${model}。工具、检查、日志和记忆也都是真实运行的。`,
    firstRun: '第一次运行：一家小商行价格台的问题（examples/price-desk）',
    secondRun: '第二次运行：同一个问题，带着第一次学到的教训',
    happened: '发生了什么',
    answered: (status, revisions) =>
      revisions > 0 ? `初稿没有通过检查，修正之后结果为 ${status}。` : `运行结果为 ${status}，没有修正。`,
    kept: '出错的原因成了一条教训。',
    notKept: '没有留下教训。',
    recalled: '第二次运行一开始就想起了它。',
    compared: (first, second) =>
      `模型调用：先 ${count(first.modelCalls)} 次，后 ${count(second.modelCalls)} 次；token：先 ${count(first.tokens)}，后 ${count(second.tokens)}。`,
    next: '接下来',
    look: '查看这次运行的每一步',
    memory: '查看记住的教训',
    page: '在浏览器里看同样的内容',
    own: '就你自己的文件提问',
    model: '如何使用真实模型',
  },
};
