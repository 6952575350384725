import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FileLabel } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';

/** The store of storeContent. */
export interface StoreContentDeps {
  readonly files: Pick<Files, 'open' | 'write' | 'abandon'>;
  readonly clock: Clock;
}

/**
 * Stores content from memory; `finish` turns the complete upload into its final form, and returns undefined or false if it is gone.
 * CONFLICT if the account has no storage left. After any failure nothing is left.
 */
export async function storeContent<R>(
  { files, clock }: StoreContentDeps,
  ctx: RequestContext,
  { label, content }: { readonly label: FileLabel; readonly content: Uint8Array },
  finish: (fileId: string) => Promise<R | undefined | false>,
): Promise<R> {
  const accountId = accountOf(ctx);
  const maxBytes = content.length;
  const fileId = await files.open(ctx, accountId, { label, maxBytes, now: clock.now() });
  try {
    await files.write(ctx, accountId, fileId, once(content), maxBytes);
    const finished = await finish(fileId);
    if (finished === undefined || finished === false) throw new Error('The upload is gone.');
    return finished;
  } catch (error) {
    await files.abandon(accountId, fileId, clock.now()).catch((abandoning: unknown) => {
      ctx.log.warn({ err: abandoning, fileId }, 'an upload that failed is left to the sweep');
    });
    throw error;
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
