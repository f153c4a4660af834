import { describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';

const fence = (name: string, code: string): string => `\`\`\`${name}\n${code}\n\`\`\``;

describe('codeOf', () => {
  it('takes the whole answer where nothing is fenced', () => {
    expect(codeOf('def f(): pass', 'python')).toBe('def f(): pass');
  });

  it('takes the last block that defines something: the old code comes before, a use after', () => {
    const answer = [
      'Was:',
      fence('js', 'function f() { return 1; }'),
      'Now:',
      fence('js', 'function f() { return 2; }'),
      'Use:',
      fence('js', 'f();'),
    ];
    expect(codeOf(answer.join('\n'), 'javascript')).toBe('function f() { return 2; }\n');
  });

  it('takes blocks of the language or without a name, and of no other', () => {
    expect(codeOf(`${fence('python', 'def f(): pass')}\n${fence('sh', 'function x() { :; }')}`, 'python')).toBe(
      'def f(): pass\n',
    );
    expect(codeOf(fence('', 'x = 1'), 'python')).toBe('x = 1\n');
    expect(codeOf(fence('text', 'x = 1'), 'python')).toBe('');
  });

  it('takes a block that was cut off before its end, and one that holds a fence of another kind', () => {
    expect(codeOf('```py\ndef f():\n  return 1', 'python')).toBe('def f():\n  return 1\n');
    expect(codeOf('~~~js\nconst f = () => `\n```\n`;\n~~~', 'javascript')).toBe('const f = () => `\n```\n`;\n');
  });
});
