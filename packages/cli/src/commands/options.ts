import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { OutputOptions } from '../output.ts';
import type { ConnectionOptions } from '../session/client-settings.ts';

/** The values of `accountOptions`. */
export interface AccountOptions extends ConnectionOptions, OutputOptions {}

/** The options of a command that calls the API for an account. */
export function accountOptions(command: Command): Command {
  return urlOptions(command).option(
    '--api-key <key>',
    'use this key instead of a sign-in (FAIRLEAD_API_KEY keeps it out of the process list)',
  );
}

/** The options of every command that calls an installation and prints a result. */
export function urlOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'address of the installation (or FAIRLEAD_URL; default: the one you signed in to last)',
    )
    .option('--json', 'print JSON');
}

/** The options of a command that sets a password, which is never an argument, because others can see arguments. */
export function passwordOptions(command: Command): Command {
  return command
    .option('--password', 'prompt for a password')
    .option('--password-stdin', 'read the password from standard input');
}

/** An option's value that must not be empty. */
export function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

/** Names, separated by commas. */
export function names(value: string): string[] {
  const found = value.split(',').map((name) => name.trim());
  if (found.includes('')) throw new InvalidArgumentError('Expected names, separated by commas.');
  return found;
}

/** The id of a record, a positive integer. */
export function recordId(value: string): number {
  if (!/^[1-9]\d{0,9}$/.test(value)) throw new InvalidArgumentError('Expected a number from 1.');
  return Number(value);
}

/** A positive integer. */
export function positive(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Expected a number from 1.');
  return Number(value);
}

/** A time in ISO 8601. */
export function time(value: string): string {
  const date = new Date(value);
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Expected a time such as 2026-11-23T09:00:00Z.');
  return date.toISOString();
}

/** A time: ISO 8601, or a duration from now such as `90d` or `12h`. */
export function futureMoment(now: () => Date): (value: string) => string {
  return (value) => {
    const [, count, unit] = /^(\d{1,5})([dh])$/.exec(value) ?? [];
    if (count !== undefined) {
      const hours = Number(count) * (unit === 'd' ? 24 : 1);
      return new Date(now().getTime() + hours * 3_600_000).toISOString();
    }
    const date = new Date(value);
    if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(date.getTime())) {
      throw new InvalidArgumentError('Expected a date such as 2027-01-31, or a duration such as 90d or 12h.');
    }
    return date.toISOString();
  };
}
