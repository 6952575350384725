import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'postject';
import { run } from './run.ts';

/** Node searches this marker, and starts the injected program if its last digit is set. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Prepares a bundle for injection; the result suits every platform, because it contains no compiled code. */
export async function prepareProgram(bundle: string, folder: string): Promise<Buffer> {
  const output = join(folder, 'program.blob');
  const config = join(folder, 'sea.json');
  await writeFile(
    config,
    JSON.stringify({
      main: bundle,
      output,
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
      // Workers are started with --node-options: limits of memory and permissions.
      execArgvExtension: 'cli',
    }),
  );
  await run(process.execPath, ['--experimental-sea-config', config], folder);
  return readFile(output);
}

/** Writes an executable that contains this Node and the program. */
export async function writeExecutable(node: string, program: Buffer, file: string): Promise<void> {
  await copyFile(node, file);
  await chmod(file, 0o755);
  await inject(file, 'NODE_SEA_BLOB', program, { sentinelFuse: FUSE });
}
