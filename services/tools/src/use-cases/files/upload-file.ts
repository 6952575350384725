import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { digestOf, MAX_FILE_BYTES } from '../../domain/file.ts';
import type { FileLabel } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';

export interface UploadFileDeps {
  readonly files: Pick<Files, 'open' | 'write' | 'abandon'>;
  readonly clock: Clock;
}

/** An upload that can be committed. */
export interface Upload {
  readonly fileId: string;
  /** Equal for uploads of the same content and label. */
  readonly digest: string;
}

/**
 * Stores an upload as it arrives. It is invisible until committed. PAYLOAD_TOO_LARGE above 50 MiB, CONFLICT if the account has no storage
 * left; after any failure nothing is left.
 */
export async function uploadFile(
  { files, clock }: UploadFileDeps,
  ctx: RequestContext,
  label: FileLabel,
  content: AsyncIterable<Uint8Array>,
): Promise<Upload> {
  const accountId = accountOf(ctx);
  const fileId = await files.open(ctx, accountId, { label, maxBytes: MAX_FILE_BYTES, now: clock.now() });
  try {
    const received = await files.write(ctx, accountId, fileId, content, MAX_FILE_BYTES);
    return { fileId, digest: digestOf(label, received) };
  } catch (error) {
    await files.abandon(accountId, fileId, clock.now()).catch((failure: unknown) => {
      // If this fails, the sweep removes it.
      ctx.log.warn({ err: failure }, 'an abandoned upload could not be removed at once');
    });
    throw error;
  }
}
