import type { Command, Option } from 'commander';

/** The candidates for the last word. */
export type Candidates =
  { readonly kind: 'files' } | { readonly kind: 'words'; readonly words: readonly Candidate[] };

interface Candidate {
  readonly word: string;
  readonly description: string;
}

const FILE_OPTIONS = new Set(['--file', '--fields', '--data']);

/** The candidates for the last of `words`, the words after the program's name; the last may be empty or incomplete. */
export function candidates(program: Command, words: readonly string[]): Candidates {
  const current = words.at(-1) ?? '';
  let command = program;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith('-')) awaiting = valueOption(command, word);
    else command = subcommand(command, word) ?? command;
  }
  if (awaiting !== undefined) return valuesOf(awaiting, current);
  const all = current.startsWith('-') ? optionsOf(command) : namesOf(command);
  return { kind: 'words', words: all.filter(({ word }) => word.startsWith(current)) };
}

function valueOption(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ long, short }) => long === word || short === word);
  return option !== undefined && (option.required || option.optional) ? option : undefined;
}

function valuesOf(option: Option, current: string): Candidates {
  if (FILE_OPTIONS.has(option.long ?? '')) return { kind: 'files' };
  const values = option.argChoices ?? [];
  return { kind: 'words', words: plain(values.filter((value) => value.startsWith(current))) };
}

function subcommand(command: Command, name: string): Command | undefined {
  return command.commands.find((child) => child.name() === name);
}

function optionsOf(command: Command): Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []));
}

function namesOf(command: Command): Candidate[] {
  const children = command.createHelp().visibleCommands(command);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    ...children.map((child) => ({ word: child.name(), description: child.description() })),
    ...plain(choices),
  ];
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, description: '' }));
}
