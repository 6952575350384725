import { env } from 'node:process';

/** A setting from the environment. Throws an error that names it if it is missing. */
export function setting(name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`Set ${name}.`);
  return value;
}
