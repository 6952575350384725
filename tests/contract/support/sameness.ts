import type { Answer } from './api.ts';

/** An answer and the id that was asked for. */
export interface Asked {
  /** What sort of id it was: `unknown`, `another account’s`. */
  readonly sort: string;
  readonly id: string | number;
  readonly answer: Answer;
}

/**
 * What tells one refusal from another: status, headers and the body's bytes, but for requestId, timestamp and the id that
 * was asked for. Two refusals that a caller cannot tell apart have the same.
 */
function fingerprint({ id, answer }: Asked): string {
  const { requestId, timestamp, message } = answer.body ?? {};
  const withoutId = String(message).replaceAll(
    new RegExp(`(?<![\\w-])${escape(String(id))}(?![\\w-])`, 'g'),
    '<id>',
  );
  const text = [
    [requestId, '<requestId>'],
    [timestamp, '<timestamp>'],
    [message, withoutId],
  ].reduce(
    (whole, [from, to]) => whole.replace(JSON.stringify(from ?? ''), () => JSON.stringify(to)),
    answer.text,
  );
  const headers = [...answer.headers.keys()].filter((name) => name !== 'retry-after').toSorted();
  return `${answer.status} ${headers.join(' ')}\n${text}`;
}

/** How the answers differ, a line each; none where they cannot be told apart. */
export function differences(asked: readonly Asked[]): string[] {
  const [first, ...others] = asked;
  if (first === undefined) return ['nothing was asked'];
  const expected = fingerprint(first);
  return others
    .map((it) => [it, fingerprint(it)] as const)
    .filter(([, seen]) => seen !== expected)
    .map(
      ([it, seen]) => `${it.sort} (${it.id}) answers\n${seen}\nand ${first.sort} (${first.id})\n${expected}`,
    );
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
