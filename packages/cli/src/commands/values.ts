import { text } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { z } from 'zod';
import { CliError, EXIT_CODES } from '../failure.ts';
import { askSecret } from '../prompt.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';

/** Values by name as given on the command line; undefined for a name without a value. */
export type Assignments = ReadonlyMap<string, string | undefined>;

/** The options that all commands with values share; each has, in addition, an option of its own for an `assignment`. */
export interface ValuesOptions {
  readonly valuesStdin?: boolean;
}

/** The purpose of a value: a field of a connection, or a slot of an auth provider. */
export interface ValueSlot {
  readonly name: string;
  readonly label: string;
  /** Whether the value is secret and never taken from an argument, because others can see arguments. */
  readonly isSecret: boolean;
  /** Whether a secret without a value is prompted for. */
  readonly isRequired: boolean;
  /** Parses the typed text. Throws a usage error if it is not of the slot's type. */
  readonly read: (typed: string) => unknown;
}

/** Adds the options of values: `flag`, repeatable, described by `what`, and `--values-stdin`. */
export function valuesOptions(command: Command, flag: '--field' | '--value', what: string): Command {
  return command
    .addOption(
      new Option(`${flag} <name=value>`, `${what}, repeatable; a name alone is prompted for`).argParser(
        assignment,
      ),
    )
    .option('--values-stdin', 'read values, secret ones too, from standard input: a JSON object by name');
}

function assignment(text: string, before: Assignments | undefined): Assignments {
  const [, name = '', value] = /^([^=\s]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('Expected a name, = and a value.');
  return new Map([...(before ?? []), [name, value]]);
}

/**
 * The values of `slots`: from standard input, from arguments, which take precedence, and from prompts without echo for names without a
 * value and for required secrets. Throws a usage error for a name that is not a slot and for a secret in an argument.
 */
export async function gatherValues(
  world: World,
  slots: readonly ValueSlot[],
  o: { readonly given: Assignments | undefined; readonly fromInput: boolean },
): Promise<Record<string, unknown>> {
  const assignments = o.given ?? new Map<string, string | undefined>();
  const values = new Map<string, unknown>(o.fromInput ? Object.entries(await valuesOfInput(world)) : []);
  for (const name of [...assignments.keys(), ...values.keys()]) requireSlot(slots, name);
  for (const { name, label, isSecret, isRequired, read } of slots) {
    const typed = assignments.get(name);
    if (typed !== undefined && isSecret) {
      throw new CliError(
        EXIT_CODES.usage,
        `${printable(name)} is secret, so it is never an argument: it is prompted for, or read with --values-stdin.`,
      );
    }
    const isAsked = assignments.has(name) || (isSecret && isRequired && !o.fromInput);
    if (typed !== undefined) values.set(name, read(typed));
    else if (isAsked && !values.has(name))
      values.set(name, read(await askSecret(world, `${label} (${name})`)));
  }
  return Object.fromEntries(values);
}

function requireSlot(slots: readonly ValueSlot[], name: string): void {
  if (slots.some((slot) => slot.name === name)) return;
  const names = slots.map((slot) => slot.name).join(', ');
  throw new CliError(
    EXIT_CODES.usage,
    printable(`Unknown: ${name}. Known: ${names === '' ? 'none' : names}.`),
  );
}

const valuesByName = z.record(z.string(), z.unknown());

async function valuesOfInput(world: World): Promise<Record<string, unknown>> {
  try {
    return valuesByName.parse(JSON.parse(await text(world.in)));
  } catch {
    // Thrown without the cause, which quotes the text: the text contains secrets.
    throw new CliError(EXIT_CODES.usage, 'Standard input is not a JSON object of values by name.');
  }
}
