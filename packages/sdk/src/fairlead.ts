import { OnPremAgentsWithLogs } from './agent-logs.ts';
import { credentialOf } from './credential.ts';
import type { CredentialOptions } from './credential.ts';
import { FileTransfers } from './files.ts';
import { Resources } from './gen/resources.ts';
import { wait } from './retry.ts';
import { Transport } from './transport.ts';

// The entry of the published package: everything that a program needs comes from here.
export type { AccessTokenSource, CredentialOptions } from './credential.ts';
export { FairleadConnectionError, FairleadError, FairleadTimeoutError } from './errors.ts';
export type { ErrorCode } from './errors.ts';
export type { FileDownload, UploadFileParams } from './files.ts';
export type * from './gen/types.ts';
export type { Page } from './paging.ts';
export type { Content, RequestOptions } from './transport.ts';
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts';
export type { VerifyWebhookOptions, WebhookEvent } from './webhooks.ts';

/** Settings of a client other than its credential. */
export interface ClientOptions {
  /** Address of the installation, for example `https://fairlead.example.com`. */
  readonly baseUrl: string;
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Milliseconds for one attempt. Default 130 000: above the two minutes that an installation allows for a tool's execution. */
  readonly timeoutMs?: number | undefined;
  /** Attempts after the first one. Default 2. */
  readonly maxRetries?: number | undefined;
  /**
   * Longest Retry-After for which the client waits; with a longer one, the call fails at once. Default 60: the client waits for the next
   * second of the burst budget, but not for the next hour of the hourly budget.
   */
  readonly maxRetryAfterSeconds?: number | undefined;
  /**
   * Reads the JSON of responses. Default `JSON.parse`, which rounds integers beyond 2^53: pass a parser that keeps their digits if
   * the outputs of your tools have such numbers.
   */
  readonly parseJson?: ((text: string) => unknown) | undefined;
}

/** The options of a client: exactly one of `apiKey` and `accessToken`. */
export type FairleadOptions = ClientOptions & CredentialOptions;

const DEFAULT_TIMEOUT_MS = 130_000;
const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_MAX_RETRY_AFTER_SECONDS = 60;

/**
 * A client of one Fairlead installation, for one credential. Its resources are its members:
 * `client.connections.list()`, `client.tools.execute(…)`.
 *
 * Methods reject with a FairleadError if the API refuses, a FairleadConnectionError or FairleadTimeoutError if no
 * response arrives, or the reason of the caller's AbortSignal.
 */
export class Fairlead extends Resources {
  override readonly files: FileTransfers;
  override readonly onPremAgents: OnPremAgentsWithLogs;

  /** Throws a TypeError if `baseUrl` is not an http(s) address, or not exactly one credential is given. */
  constructor(options: FairleadOptions) {
    const transport = new Transport({
      baseUrl: baseUrlOf(options.baseUrl),
      credential: credentialOf(options),
      // Not the function itself: a browser's fetch must be called on its window.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      retries: {
        maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
        maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? DEFAULT_MAX_RETRY_AFTER_SECONDS,
      },
      wait,
      parseJson: options.parseJson ?? JSON.parse,
    });
    super(transport);
    this.files = new FileTransfers(transport);
    this.onPremAgents = new OnPremAgentsWithLogs(transport);
  }
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError(`Fairlead: baseUrl is no http or https address: ${text}`);
  }
  return url.href.replace(/\/+$/, '');
}
