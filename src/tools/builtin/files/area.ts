/** The part of the file system that the tools may reach, and how a path of the model is read as a place in it. Pure: nothing here does I/O. */
import * as path from 'node:path';
import type { Glob } from './glob.ts';
import { hasUnseen, shownName } from './shown-name.ts';

export interface Area {
  /** The real path of the root. */
  readonly root: string;
  /** The root as the host wrote it, absolute; it may lead through links, which are the host's own. */
  readonly spelled: string;
  /** Whether names that begin with a dot are part of it. */
  readonly hidden: boolean;
  /** What is out of reach although it is below the root. */
  readonly exclude: readonly Glob[];
  /** `handle`: no race can lead out (Linux). `path`: checked before and after. Default: the best that the system has. */
  readonly reach?: 'handle' | 'path';
}

/** A place in the area. */
export interface Place {
  /** From the root on; empty for the root itself. */
  readonly parts: readonly string[];
  /** Relative to the root, with `/` on every system, for messages. */
  readonly shown: string;
}

const longestName = 255;
const longestPath = 1_024;
const mostParts = 64;

/** The place that `named` means: a path relative to the root, or absolute below it. Throws with the reason why it means none. */
export function locate(area: Area, named: string): Place {
  const problem = spellingProblem(named);
  if (problem !== undefined) throw new Error(`${shownName(named)} ${problem}`);
  const inside = path.relative(area.root, resolved(area, named));
  if (leadsOut(inside)) {
    throw new Error(
      `${shownName(named)} is outside of the folder: give a path relative to the folder, such as notes/today.md`,
    );
  }
  const parts = inside === '' ? [] : inside.split(path.sep);
  const refused = reachProblem(area, parts);
  if (refused !== undefined) throw new Error(`${shownName(named)} ${refused}`);
  return placeOf(parts);
}

export function placeOf(parts: readonly string[]): Place {
  return { parts, shown: parts.length === 0 ? '.' : shownName(parts.join('/')) };
}

/** The same for a file to be written: no folder spelling, and no name that looks like another one. */
export function locateNew(area: Area, named: string): Place {
  const place = locate(area, named);
  if (place.parts.length === 0 || /\/\.{0,2}$/.test(named))
    throw new Error(`${place.shown} is a folder: name a file in it`);
  if (place.parts.some(hasUnseen)) {
    throw new Error(`${place.shown} holds characters that cannot be seen (written \\u{…} here): use a plain name`);
  }
  return place;
}

/** Why a path with these parts is out of reach although it is below the root, if it is. */
export function reachProblem(area: Area, parts: readonly string[]): string | undefined {
  if (!area.hidden && parts.some((part) => part.startsWith('.'))) {
    return 'is hidden (a name in it begins with a dot) and out of reach';
  }
  const isExcluded = parts.some((_, index) => area.exclude.some((matches) => matches(parts.slice(0, index + 1))));
  return isExcluded ? 'is out of reach for these tools' : undefined;
}

/** What a call with this path touches, whether it would be refused or not: below the real root, and below the root as it was spelled. */
export function touchedPaths(area: Area, named: string): string[] {
  const real = resolved(area, named);
  const inside = path.relative(area.root, real);
  if (area.root === area.spelled || leadsOut(inside)) return [real];
  return [real, path.join(area.spelled, inside)];
}

/** The one decision about containment: made on whole parts, never on the beginning of a text. */
export function leadsOut(inside: string): boolean {
  return inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside);
}

function resolved(area: Area, named: string): string {
  const underSpelled = path.relative(area.spelled, named);
  if (path.isAbsolute(named) && !leadsOut(underSpelled)) return path.resolve(area.root, underSpelled);
  return path.resolve(area.root, named);
}

/** Why a name is no way to write a path here, if it is none. */
export function spellingProblem(named: string): string | undefined {
  if (named.includes('\0')) return 'holds a NUL character: leave it out';
  if (named.includes('\\')) return 'is written with backslashes: write / between folders';
  if (/^[a-z]:/i.test(named)) return 'begins with a drive: give a path relative to the folder';
  if (/^[a-z][a-z\d+.-]*:\/|^file:/i.test(named)) return 'is a URL: give a path relative to the folder';
  if (/^~[^/]*(?:\/|$)/.test(named)) return 'begins with ~, which is not expanded: give a path relative to the folder';
  const parts = named.split('/');
  if (parts.some((part) => /^\.{3,}$/.test(part))) return 'holds a name of dots only: write . or .. for folders';
  if (process.platform === 'win32' && parts.some((part) => part.includes(':'))) return 'holds a colon: leave it out';
  const isLong = parts.length > mostParts || Buffer.byteLength(named) > longestPath;
  if (isLong) return `is too long: at most ${longestPath} bytes and ${mostParts} folders`;
  if (parts.some((part) => Buffer.byteLength(part) > longestName)) {
    return `holds a name of more than ${longestName} bytes: use a shorter one`;
  }
  return undefined;
}
