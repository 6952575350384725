/** Matches a position in a stack: a file of the program or of Node, with line and column. */
const POSITION = /^ +at .*?((?:file:\/\/|node:)[^\s()]+:\d+:\d+)\)?$/gm;
const MAX_TEXT = 2_000;

/**
 * An error's class and stack positions, for a log. Its texts are left out, because they may quote a peer's or
 * account's data, including unknown secrets.
 */
export function withoutText(error: unknown): { readonly name: string; readonly stack: string } {
  if (!(error instanceof Error)) return { name: typeof error, stack: '' };
  const { message, stack = '' } = error;
  const at = stack.indexOf(message);
  const frames = at < 0 ? '' : stack.slice(at + message.length);
  const positions = [...frames.matchAll(POSITION)].map(([, position]) => position);
  return { name: error.constructor.name, stack: positions.join('\n').slice(0, MAX_TEXT) };
}
