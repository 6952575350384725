import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { CliError, EXIT_CODES } from './failure.ts';
import { printable } from './table.ts';
import type { World } from './world.ts';

/** Whether there is a terminal for prompts. */
function canAsk(world: World): boolean {
  return world.in.isTTY === true;
}

/**
 * Returns when a destructive command may continue: `--yes` was given, or the person types `word`. Throws a usage error if
 * there is no terminal, so that a script never destroys anything by accident.
 */
export async function confirm(
  world: World,
  o: { yes: boolean; question: string; word: string },
): Promise<void> {
  if (o.yes) return;
  if (!canAsk(world)) {
    throw new CliError(EXIT_CODES.usage, `${o.question} There is no terminal to ask at: add --yes.`);
  }
  const answer = await ask(world, `${o.question} Type ${o.word} to continue: `);
  if (answer.trim() !== o.word) throw new CliError(EXIT_CODES.failed, 'Nothing was done.');
}

async function ask(world: World, question: string): Promise<string> {
  world.err.write(question);
  const lines = createInterface({ input: world.in, terminal: false });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}

/**
 * A new password: the first line of standard input with `fromInput`, else typed twice without echo. Throws a usage error
 * if there is no terminal.
 */
export async function newPassword(world: World, o: { readonly fromInput: boolean }): Promise<string> {
  if (o.fromInput) return nonEmpty((await text(world.in)).split(/\r?\n/, 1)[0] ?? '');
  if (!canAsk(world)) {
    throw new CliError(
      EXIT_CODES.usage,
      'There is no terminal to ask for a password at: use --password-stdin.',
    );
  }
  const password = nonEmpty(await askHidden(world, 'Password: '));
  if ((await askHidden(world, 'Repeat the password: ')) !== password) {
    throw new CliError(EXIT_CODES.usage, 'The two passwords differ.');
  }
  return password;
}

/** A secret typed once without echo, which may be empty. Throws a usage error if there is no terminal. */
export async function askSecret(world: World, what: string): Promise<string> {
  const name = printable(what);
  if (!canAsk(world)) {
    throw new CliError(EXIT_CODES.usage, `There is no terminal to ask for ${name} at: use --values-stdin.`);
  }
  return await askHidden(world, `${name}: `);
}

function nonEmpty(password: string): string {
  if (password === '') throw new CliError(EXIT_CODES.usage, 'The password is empty.');
  return password;
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';

/** One line typed at the terminal without echo. */
async function askHidden({ in: input, err }: World, question: string): Promise<string> {
  // Echo is disabled before the prompt appears; otherwise fast typing would be visible.
  input.setRawMode?.(true);
  input.setEncoding('utf8');
  err.write(question);
  let typed: string[] = [];
  try {
    for (;;) {
      const keys = Array.from(await nextKeys(input));
      for (const [index, key] of keys.entries()) {
        if (key === CTRL_C) throw new CliError(EXIT_CODES.interrupted, 'Interrupted.');
        if (key === '\r' || key === '\n' || key === CTRL_D) {
          // Keys arrive one by one, or several lines at once if they were pasted: the rest belongs to the next prompt.
          const rest = keys.slice(index + 1).join('');
          if (rest !== '') input.unshift(rest, 'utf8');
          return typed.join('');
        }
        if (key === '\u007F' || key === '\b') typed.pop();
        else if (key === CTRL_U) typed = [];
        else typed.push(key);
      }
    }
  } finally {
    input.setRawMode?.(false);
    input.pause();
    err.write('\n');
  }
}

async function nextKeys(input: World['in']): Promise<string> {
  return await new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      input.off('data', data).off('end', end).off('error', fail);
      input.pause();
      act();
    };
    const data = (keys: unknown): void => settle(() => resolve(String(keys)));
    const end = (): void => settle(() => resolve(CTRL_D));
    const fail = (error: Error): void => settle(() => reject(error));
    input.on('data', data).on('end', end).on('error', fail);
    input.resume();
  });
}
