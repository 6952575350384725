/**
 * Downloads MongoDB's own build of mongod for this system: `node official-mongod-download.ts VERSION DIRECTORY`.
 * Prints the path of the binary as its last line; a failure is one line on stderr and exit code 1.
 *
 * A program of its own, so that its caller can give up on it at once, whatever it waits for.
 */
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';

const [version, downloadDir] = process.argv.slice(2);
if (version === undefined || downloadDir === undefined) throw new Error('VERSION and DIRECTORY are needed');
try {
  // Names the distribution, on which the choice of the build depends.
  const options = await DryMongoBinary.generateOptions({ version, downloadDir });
  const path = await new MongoBinaryDownload({ ...options, checkMD5: true }).getMongodPath();
  process.stdout.write(`\n${path}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message.replaceAll(/\s+/g, ' ')}\n`);
  // Exits at once, because the connection of a refused response may stay open for seconds.
  process.exit(1);
}
