import { memo, type NamedExoticComponent, type ReactNode } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration, secondsSince } from '../parts/amounts.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Icon } from '../parts/icons.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { EntryDetails } from './entry-details.tsx';
import { entryText, timeText } from './entry-text.ts';
import { type Entry, entryCount, type Group, groupName } from './timeline-model.ts';

export interface LineProps<Node> {
  node: Node;
  depth: number;
  /** When the run began. */
  began: number;
  isOpen: boolean;
  /** Whether Tab goes to it; the arrows go to the others. */
  isCurrent: boolean;
  onToggle: (id: string) => void;
}

/** The head of a trial, a sample, a branch. */
export const GroupLine: NamedExoticComponent<LineProps<Group>> = memo(PlainGroupLine);

function PlainGroupLine({ node, depth, began, isOpen, isCurrent, onToggle }: LineProps<Group>): ReactNode {
  const t = useTexts();
  const state = outcomeOf(node, t);
  return (
    <button
      type="button"
      className="line-head group"
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      title={node.path}
      style={{ '--depth': depth }}
      onClick={() => onToggle(node.id)}
    >
      <span className="offset numbers">{secondsSince(began, node.from)}</span>
      <span className="line-body">
        <span className="what">
          <span className="chevron">
            <Icon name="chevron" />
          </span>
          <UntrustedLine text={groupName(node.path)} most={80} />
        </span>
        {state?.badge && (
          <span className="state">
            <Badge tone={state.badge[0]}>{state.badge[1]}</Badge>
          </span>
        )}
        <span className="text">{state && <UntrustedLine text={state.text} />}</span>
      </span>
      <span className="figure numbers">
        {count(entryCount(node))} {t.eventsShort}
      </span>
      <span className="took numbers">{duration(node.to - node.from)}</span>
    </button>
  );
}

function outcomeOf({ outcome }: Group, t: Texts): { text: string; badge?: [Tone, string] } | undefined {
  if (outcome?.type === 'sample.end') return { text: outcome.vote };
  if (outcome?.type !== 'trial.end') return undefined;
  return { text: outcome.feedback, badge: outcome.pass ? ['good', t.verdictPass] : ['bad', t.verdictFail] };
}

/** One thing that happened; all of it is below when it is open. */
export const EntryLine: NamedExoticComponent<LineProps<Entry>> = memo(PlainEntryLine);

function PlainEntryLine({ node, depth, began, isOpen, isCurrent, onToggle }: LineProps<Entry>): ReactNode {
  const t = useTexts();
  const told = entryText(node, t);
  const { icon, label, subject, text, state, figure, isHead } = told;
  return (
    <>
      <button
        type="button"
        className={`line-head ${isHead ? 'section' : ''} ${state?.[0] ?? ''}`}
        aria-expanded={isOpen}
        tabIndex={isCurrent ? 0 : -1}
        style={{ '--depth': depth }}
        onClick={() => onToggle(node.id)}
      >
        <span className="offset numbers">{secondsSince(began, node.event.at)}</span>
        <span className="line-body">
          <span className="what">
            <Icon name={icon} />
            <span className="label">{label}</span>
            {subject !== '' && (
              <span className="subject">
                <UntrustedLine text={subject} most={60} />
              </span>
            )}
          </span>
          {state && (
            <span className="state">
              <Badge tone={state[0]}>{state[1]}</Badge>
            </span>
          )}
          <span className="text">
            <UntrustedLine text={text} />
          </span>
        </span>
        <span className="figure numbers">{figure}</span>
        <span className="took numbers">{timeText(told)}</span>
      </button>
      {isOpen && (
        <div className="line-details">
          <EntryDetails entry={node} />
        </div>
      )}
    </>
  );
}
