import { Draws } from './draws.ts';
import { type GeneratedTask, type TaskKind, type TaskLanguage, type TaskParts, taskKinds } from './generated-task.ts';
import { codeTask } from './kinds/code.ts';
import { factsTask } from './kinds/facts.ts';
import { inventoryTask } from './kinds/inventory.ts';
import { measurementsTask } from './kinds/measurements.ts';
import { pricesTask } from './kinds/prices.ts';
import { timetableTask } from './kinds/timetable.ts';
import type { Setting } from './story.ts';

export interface TaskGeneratorOptions {
  /** Equal seeds give equal tasks. */
  seed: string | number;
  count: number;
  /** Default: all but `code`, whose tasks need the tool `runCode`. */
  kinds?: readonly TaskKind[];
}

const generators: Record<TaskKind, (setting: Setting) => TaskParts> = {
  prices: pricesTask,
  timetable: timetableTask,
  measurements: measurementsTask,
  inventory: inventoryTask,
  facts: factsTask,
  code: codeTask,
};

/** Every so manieth task is Chinese. */
const chineseEvery = 4;

/** Tasks with known answers, kinds and languages in turn. Names are unique within one set. */
export function generateTasks(options: TaskGeneratorOptions): GeneratedTask[] {
  const kinds = options.kinds ?? taskKinds.filter((kind) => kind !== 'code');
  return Array.from({ length: options.count }, (_, index) => {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new RangeError('generateTasks: name at least one kind');
    const round = Math.floor(index / kinds.length);
    const language: TaskLanguage = round % chineseEvery === chineseEvery - 1 ? 'zh' : 'en';
    const draws = new Draws(`${options.seed}\n${kind}\n${index}`);
    const { input, constraints, outputSchema, ...parts } = generators[kind]({
      language,
      place: placeName(index, language),
      draws,
    });
    const task = { input, constraints, checks: [], ...(outputSchema && { outputSchema }) };
    return { id: `${kind}-${index}`, kind, language, task, ...parts };
  });
}

const syllables: Record<TaskLanguage, [string[], string[], string[]]> = {
  en: [
    'Ash Bram Cold Dun East Fern Glen Hal Iron Kel Lang Mill Nor Oak Pen Quarr Rose Stan Thorn Wind'.split(' '),
    'bury cott dale field ford ham hurst leigh mere mouth port ridge shaw stead stoke ton well wick wood worth'.split(
      ' ',
    ),
    [
      '',
      ' Abbey',
      ' Bridge',
      ' Cross',
      ' Docks',
      ' Green',
      ' Harbour',
      ' Heath',
      ' Junction',
      ' Market',
      ' Quay',
      ' Vale',
    ],
  ],
  zh: [
    [...'东南西北青白红金银玉清平安永长高大广新古'],
    [...'山河湖溪桥门岭峰泉塘园林滩港原冈坡寨堡桂'],
    ['', '镇', '村', '城', '里', '街', '渡', '口', '庄', '营', '店', '坪'],
  ],
};

/** A name for each index, none twice. */
function placeName(index: number, language: TaskLanguage): string {
  const [first, second, third] = syllables[language];
  const space = first.length * second.length * third.length;
  if (index >= space) throw new RangeError(`generateTasks: at most ${space} tasks have names of their own`);
  const part = (list: string[], of: number): string => list[of % list.length] ?? '';
  const rest = Math.floor(index / first.length);
  return part(first, index) + part(second, rest) + part(third, Math.floor(rest / second.length));
}
