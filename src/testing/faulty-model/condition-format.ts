import type { FormatOptions } from '../../checks/format.ts';
import type { ConditionRule } from './generated-task.ts';

/** The options of the check `format` that a user would write for the condition. */
export function conditionFormat(rule: ConditionRule): FormatOptions {
  switch (rule.type) {
    case 'at-most-words':
      return { maxWords: rule.words };
    case 'at-most-characters':
      return { maxCharacters: rule.characters };
    case 'include':
      return { mustInclude: [rule.text] };
    case 'exclude':
      return { mustNotInclude: [rule.text] };
    case 'language':
      return { language: rule.language };
    default:
      return rule satisfies never;
  }
}
