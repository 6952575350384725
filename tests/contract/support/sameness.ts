import type { Answer } from './api.ts';

/** A response and the requested id. */
export interface RefusalSample {
  /** Kind of the id: `unknown`, `another account’s`. */
  readonly sort: string;
  readonly id: string | number;
  readonly answer: Answer;
}

/**
 * The distinguishing content of a refusal: status, headers and body bytes, except requestId, timestamp and the requested id. Equal for
 * refusals that a caller cannot distinguish.
 */
function fingerprint({ id, answer }: RefusalSample): string {
  const { requestId, timestamp, message } = answer.body ?? {};
  const withoutId = String(message).replaceAll(
    new RegExp(`(?<![\\w-])${escape(String(id))}(?![\\w-])`, 'g'),
    '<id>',
  );
  // For a visible slug at the wrong place, the message says where it belongs.
  const withoutPlace = withoutId.replace(/(?<=There is no (?:application|tool) <id>\.) It is an? .*$/, '');
  const text = [
    [requestId, '<requestId>'],
    [timestamp, '<timestamp>'],
    [message, withoutPlace],
  ].reduce(
    (whole, [from, to]) => whole.replace(JSON.stringify(from ?? ''), () => JSON.stringify(to)),
    answer.text,
  );
  const headers = [...answer.headers.keys()].filter((name) => name !== 'retry-after').toSorted();
  return `${answer.status} ${headers.join(' ')}\n${text}`;
}

/** The differences between the responses, one per line; empty if they are indistinguishable. */
export function differences(asked: readonly RefusalSample[]): string[] {
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
