import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { CliError, EXIT_CODES } from './failure.ts';
import { printable } from './table.ts';
import type { World } from './world.ts';

/** Whether there is a terminal for prompts. */
export function canAsk(world: World): boolean {
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
  const answer = await askLine(world, `${o.question} Type ${o.word} to continue`, '--yes');
  if (answer.trim() !== o.word) throw new CliError(EXIT_CODES.failed, 'Nothing was done.');
}

/** One line typed at the terminal, which shows it. Needs a terminal. */
export async function askLine(world: World, question: string, option: string): Promise<string> {
  world.in.setEncoding('utf8');
  await refuseTypeAhead(world, option);
  world.err.write(`${printable(question)}: `);
  return await typedLine(world);
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
  const password = nonEmpty(await askHidden(world, 'Password: ', '--password-stdin'));
  if ((await askHidden(world, 'Repeat the password: ', '--password-stdin')) !== password) {
    throw new CliError(EXIT_CODES.usage, 'The two passwords differ.');
  }
  return password;
}

/** A secret typed once without echo, which may be empty. Throws a usage error that names `option` if there is no terminal. */
export async function askSecret(
  world: World,
  what: string,
  option: '--values-stdin' | '--fields' = '--values-stdin',
): Promise<string> {
  const name = printable(what);
  if (!canAsk(world)) {
    throw new CliError(EXIT_CODES.usage, `There is no terminal to ask for ${name} at: use ${option}.`);
  }
  return await askHidden(world, `${name}: `, option);
}

function nonEmpty(password: string): string {
  if (password === '') throw new CliError(EXIT_CODES.usage, 'The password is empty.');
  return password;
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';

/** One line typed at the terminal without echo. */
async function askHidden(world: World, question: string, option: string): Promise<string> {
  const { in: input, err } = world;
  // Echo is disabled before the prompt appears; otherwise fast typing would be visible.
  input.setRawMode?.(true);
  input.setEncoding('utf8');
  try {
    await refuseTypeAhead(world, option);
    err.write(question);
    return await typedLine(world);
  } finally {
    input.setRawMode?.(false);
    err.write('\n');
  }
}

/** The text up to Enter. Editing keys arrive only from a terminal in raw mode. */
async function typedLine(world: World): Promise<string> {
  const { in: input } = world;
  let typed: string[] = [];
  for (;;) {
    const keys = Array.from(await nextKeys(world));
    for (const [index, key] of keys.entries()) {
      if (key === CTRL_C) throw interrupted();
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
}

function interrupted(): CliError {
  return new CliError(EXIT_CODES.interrupted, 'Interrupted.');
}

const promptedWorlds = new WeakSet<World>();

/**
 * Throws a usage error if lines are waiting before the first prompt: they were pasted together with the command, and are commands rather
 * than answers. They cannot be given back to the shell, so the error says that they did not run.
 */
async function refuseTypeAhead(world: World, option: string): Promise<void> {
  if (promptedWorlds.has(world)) return;
  promptedWorlds.add(world);
  const { in: input, err } = world;
  let isWaiting = false;
  const data = (): void => {
    isWaiting = true;
  };
  input.on('data', data).resume();
  // Waiting input is read in one turn of the event loop, and such a turn may have begun.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  input.off('data', data).pause();
  if (!isWaiting) return;
  err.write('\n');
  const text = `Lines were pasted together with this command, which asks at the terminal: they were not run. Paste it alone, or use ${option}.`;
  throw new CliError(EXIT_CODES.usage, text);
}

async function nextKeys({ in: input, signal }: World): Promise<string> {
  if (input.readableEnded) return CTRL_D;
  return await new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      input.off('data', data).off('end', end).off('error', fail).pause();
      signal.removeEventListener('abort', abort);
      act();
    };
    const data = (keys: unknown): void => settle(() => resolve(String(keys)));
    const end = (): void => settle(() => resolve(CTRL_D));
    const fail = (error: Error): void => settle(() => reject(error));
    const abort = (): void => settle(() => reject(interrupted()));
    input.on('data', data).on('end', end).on('error', fail);
    signal.addEventListener('abort', abort);
    input.resume();
  });
}
