import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

// The launcher owns the file; only the members that are needed here are read.
const devFile = z.object({
  baseUrl: z.url(),
  pid: z.int(),
  account: z.object({ accountId: z.string() }),
  grpc: z.record(z.string(), z.url()),
});

/** A running development instance. */
export interface Instance {
  readonly baseUrl: string;
  /** The process id of `npm start`. */
  readonly pid: number;
  readonly accountId: string;
  /** Addresses of the services' gRPC ports, by the names of the services. */
  readonly grpcUrls: Readonly<Record<string, string>>;
}

/** The instance that runs on the data folder, if there is one. */
export async function findInstance(data: string): Promise<Instance | undefined> {
  const dev = devFile.safeParse(await readJson(join(data, 'dev.json')));
  if (!dev.success) return undefined;
  const { baseUrl, pid, account, grpc } = dev.data;
  return { baseUrl, pid, accountId: account.accountId, grpcUrls: grpc };
}

/** The content of a file, or undefined if it cannot be read or is not JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
