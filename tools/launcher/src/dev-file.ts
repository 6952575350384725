import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readJson, writePrivateJson } from './json-file.ts';

const accountSchema = z.object({
  accountId: z.string(),
  apiKey: z.string(),
  ownerEmail: z.string(),
  ownerPassword: z.string(),
});

const seedSchema = z.object({ account: accountSchema, otherAccount: accountSchema });

/** Accounts created by identity's seed, with their secrets. */
export type SeededAccounts = z.infer<typeof seedSchema>;

/** The content of `dev.json`: addresses of the running instance, and credentials to try it with. */
export interface DevFile extends SeededAccounts {
  readonly baseUrl: string;
  /** The MCP endpoint: an MCP server is below it. */
  readonly mcpUrl: string;
  readonly openapiUrl: string;
  readonly docsUrl: string;
  /** Process id of the launcher. */
  readonly pid: number;
  readonly mongodbUri: string;
  readonly natsUrl: string;
  /** Opens `/operator/v1`. */
  readonly operatorKey: string;
  /** HTTP/1.1 address of each service (of its first replica, as below). */
  readonly services: Readonly<Record<string, string>>;
  /** Cleartext HTTP/2 address of each service. */
  readonly grpc: Readonly<Record<string, string>>;
  /** Address of the admin port of the gateway and of each service: `/metrics`, `/livez`. */
  readonly admin: Readonly<Record<string, string>>;
  readonly sandboxCrm: {
    readonly url: string;
    readonly apiKey: string;
    readonly adminKey: string;
    readonly user: string;
    readonly password: string;
    /** A second OAuth client there, for auth providers. */
    readonly oauthClientId: string;
    readonly oauthClientSecret: string;
  };
  readonly samples: {
    readonly mcpServerUrl: string;
    /** Null if PostgreSQL does not run. */
    readonly postgresUrl: string | null;
  };
}

/** Reads the file that identity's seed wrote. */
export async function readSeed(file: string): Promise<SeededAccounts> {
  return seedSchema.parse(await readJson(file));
}

/** Publishes the running instance; only the owner can read the file. */
export async function writeDevFile(file: string, dev: DevFile): Promise<void> {
  await writePrivateJson(file, dev);
}

/** Removes it: the file exists only while its content is true. */
export async function removeDevFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
