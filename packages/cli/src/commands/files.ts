import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { Content, StoredFile } from '@fairlead/sdk';
import { openFile } from '../open-file.ts';
import { moment, print } from '../output.ts';
import { confirm } from '../prompt.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties } from '../table.ts';
import type { World } from '../world.ts';
import { STANDARD_INPUT } from './json-input.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';
import { saveFile } from './save-file.ts';
import type { CompletenessCheck } from './save-file.ts';

interface UploadOptions extends AccountOptions {
  readonly file: string;
  readonly name?: string;
  readonly type?: string;
}

interface DownloadOptions extends AccountOptions {
  readonly file: string;
  readonly force?: boolean;
}

/** `fairlead files …` */
export function addFiles(program: Command, world: World): void {
  const files = program
    .command('files')
    .helpCommand(false)
    .description('upload and download the files that tools take and return');
  const signal = { signal: world.signal };

  accountOptions(files.command('upload'))
    .description('upload a file; it is kept for seven days')
    .requiredOption('--file <path>', 'the file; - for standard input', nonEmpty)
    .option('--name <name>', 'its name (default: that of the file)', nonEmpty)
    .option(
      '--type <type>',
      'its media type, such as text/csv (default: application/octet-stream)',
      mediaType,
    )
    .action(async (options: UploadOptions) => {
      const client = await accountClient(options, world);
      const { file, name = nameOf(file), type: contentType } = options;
      const stored = await client.files.upload(await contentOf(world, file), { name, contentType }, signal);
      print(world, options, stored, () => fileProperties(stored));
    });

  accountOptions(files.command('get'))
    .description('show what is known of a file, with an address to download it from for 15 minutes')
    .argument('<fileId>', 'the file', nonEmpty)
    .action(async (fileId: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const stored = await client.files.get(fileId, signal);
      print(world, options, stored, () => fileProperties(stored));
    });

  accountOptions(files.command('download'))
    .description('write the content of a file to a file')
    .argument('<fileId>', 'the file', nonEmpty)
    .requiredOption('--file <path>', 'the file to write; only you can read it', nonEmpty)
    .option('--force', 'overwrite an existing file')
    .action(async (fileId: string, options: DownloadOptions) => {
      const client = await accountClient(options, world);
      const { file, content } = await client.files.download(fileId, signal);
      const saved = await saveFile(content, {
        file: options.file,
        cwd: world.cwd,
        isReplacing: options.force === true,
        check: hashCheck(file.sha256),
      });
      print(world, options, saved, () => `Wrote ${saved.file} (${saved.sizeBytes} bytes).\n`);
    });

  accountOptions(files.command('delete'))
    .description('delete a file')
    .argument('<fileId>', 'the file', nonEmpty)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (fileId: string, options: AccountOptions & { yes?: boolean }) => {
      const client = await accountClient(options, world);
      const question = `File ${fileId} will be deleted. This cannot be undone.`;
      await confirm(world, { yes: options.yes === true, question, word: 'delete' });
      await client.files.delete(fileId, signal);
      print(world, options, { fileId, isDeleted: true }, () => `Deleted file ${fileId}.\n`);
    });
}

function mediaType(value: string): string {
  if (/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(value)) return value;
  throw new InvalidArgumentError('Expected a media type, such as text/csv.');
}

function nameOf(file: string): string | undefined {
  return file === STANDARD_INPUT ? undefined : basename(file);
}

/** The content, of which nothing is read yet. */
async function contentOf(world: World, file: string): Promise<Content> {
  // The declared chunk type is any; standard input yields bytes.
  if (file === STANDARD_INPUT) return Readable.toWeb(world.in) as ReadableStream<Uint8Array>;
  return await openFile(world, file);
}

/** Checks that the content is the content that was uploaded. */
function hashCheck(sha256: string): CompletenessCheck {
  const hash = createHash('sha256');
  return { add: (bytes) => void hash.update(bytes), isComplete: () => hash.digest('hex') === sha256 };
}

function fileProperties(file: StoredFile): string {
  return properties([
    ['ID', file.fileId],
    ['Name', file.name],
    ['Type', file.contentType],
    ['Bytes', file.sizeBytes],
    ['SHA-256', file.sha256],
    ['Kept until', moment(file.expiresAt)],
    ['Address', file.url],
  ]);
}
