import { text } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { SendRequestRequest } from '@fairlead/sdk';
import { parseExactly } from '../exact-json.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { jsonText, print } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty, recordId } from './options.ts';
import type { AccountOptions } from './options.ts';

interface RequestOptions extends AccountOptions {
  readonly method: NonNullable<SendRequestRequest['method']>;
  readonly query?: Record<string, string[]>;
  readonly header?: Record<string, string>;
  readonly bodyStdin?: boolean;
  readonly dryRun?: boolean;
}

const METHODS: readonly RequestOptions['method'][] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
];

/** `fairlead connections request`, a subcommand of `connections`. */
export function addSendRequest(connections: Command, world: World): void {
  accountOptions(connections.command('request'))
    .description('send a request to the application’s API; a failure at the vendor is exit code 1')
    .argument('<connectionId>', 'the connection', recordId)
    .argument('<path>', 'path below the application’s base URL, or a whole URL below it', nonEmpty)
    .addOption(new Option('--method <method>', 'the HTTP method').choices(METHODS).default('GET'))
    .option('--query <name=value>', 'a query parameter, repeatable', addParameter)
    .option('--header <name=value>', 'a header, repeatable', addHeader)
    .option('--body-stdin', 'read the body from standard input: JSON, or any text')
    .option('--dry-run', 'show what would be sent, with secrets masked')
    .action(async (connectionId: number, path: string, options: RequestOptions) => {
      const client = await accountClient(options, world);
      const { method, query = {}, header: headers = {} } = options;
      const request = {
        method,
        path,
        query,
        headers,
        ...(options.bodyStdin === true && { body: bodyOf(await text(world.in)) }),
        ...(options.dryRun === true && { dryRun: true }),
      };
      const result = await client.connections.sendRequest(connectionId, request, { signal: world.signal });
      print(world, options, result, () => (result.isSuccess ? jsonText(result.output) : ''));
      if (!result.isSuccess) {
        throw new CliError(EXIT_CODES.failed, printable(result.errorMessage ?? 'The vendor gave no reason.'));
      }
    });
}

function addParameter(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const [name, value] = pairOf(text);
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

function addHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = pairOf(text);
  return { ...before, [name]: value };
}

function pairOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Expected a name, = and a value.');
  return [name, value];
}

function bodyOf(typed: string): unknown {
  try {
    return parseExactly(typed);
  } catch {
    return typed;
  }
}
