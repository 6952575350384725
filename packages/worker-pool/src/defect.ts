/** Where a position in a stack is: a file of the program or of Node, a line and a column. */
const POSITION = /^ +at .*?((?:file:\/\/|node:)[^\s()]+:\d+:\d+)\)?$/gm;
const MAX_TEXT = 2_000;

/**
 * The class of an error and the positions of its stack, for a log. Its texts are left out: they may quote what a peer or an
 * account sent, and so a secret that nobody can tell.
 */
export function withoutText(error: unknown): { readonly name: string; readonly stack: string } {
  if (!(error instanceof Error)) return { name: typeof error, stack: '' };
  const { message, stack = '' } = error;
  const at = stack.indexOf(message);
  const frames = at < 0 ? '' : stack.slice(at + message.length);
  const positions = [...frames.matchAll(POSITION)].map(([, position]) => position);
  return { name: error.constructor.name, stack: positions.join('\n').slice(0, MAX_TEXT) };
}
