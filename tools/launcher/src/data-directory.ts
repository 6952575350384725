import { access, chmod, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of one instance. */
export interface DataDirectory {
  readonly root: string;
  readonly devFile: string;
  readonly secretsFile: string;
  readonly portsFile: string;
  readonly seedFile: string;
  readonly instanceFile: string;
  readonly catalogueFile: string;
  readonly compileCache: string;
  readonly mongod: string;
  readonly nats: string;
  readonly postgres: string;
  readonly sandboxCrm: string;
  /** The log of the process with this name. */
  logFile(name: string): string;
}

/**
 * Creates the folder of an instance if it does not exist, and returns its paths.
 *
 * Rejects, naming the folder, if it cannot be created or written to.
 */
export async function openDataDirectory(root: string): Promise<DataDirectory> {
  const logs = join(root, 'logs');
  try {
    await mkdir(logs, { recursive: true });
    await Promise.all([root, logs].map((folder) => access(folder, constants.W_OK)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the data folder ${root} cannot be used (${reason}); choose another with --data`, {
      cause: error,
    });
  }
  // As root, PostgreSQL runs as another user, which must be able to traverse to its own folder, but not list this one.
  if (process.getuid?.() === 0) await chmod(root, 0o711);
  return {
    root,
    devFile: join(root, 'dev.json'),
    secretsFile: join(root, 'secrets.json'),
    portsFile: join(root, 'ports.json'),
    seedFile: join(root, 'seed.json'),
    instanceFile: join(root, 'instance.json'),
    catalogueFile: join(root, 'catalogue.json'),
    compileCache: join(root, 'compile-cache'),
    mongod: join(root, 'mongod'),
    nats: join(root, 'nats'),
    postgres: join(root, 'postgres'),
    sandboxCrm: join(root, 'sandbox-crm'),
    logFile: (name) => join(logs, `${name}.log`),
  };
}
