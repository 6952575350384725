/**
 * Downloads MongoDB's own build of mongod for this system: `node official-mongod-download.ts VERSION DIRECTORY`. Its last line of output is
 * the path of the binary; a failure is one line on stderr and exit code 1. It is a program of its own, so that its caller can end it at any
 * time.
 */
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';

const [version, downloadDir] = process.argv.slice(2);
if (version === undefined || downloadDir === undefined) throw new Error('VERSION and DIRECTORY are needed');
try {
  // Describes the distribution, which determines the build.
  const options = await DryMongoBinary.generateOptions({ version, downloadDir });
  const path = await new MongoBinaryDownload({ ...options, checkMD5: true }).getMongodPath();
  process.stdout.write(`\n${path}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message.replaceAll(/\s+/g, ' ')}\n`);
  // Exits explicitly, because the connection of a refused response may stay open for seconds.
  process.exit(1);
}
