import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { StoredFile } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';

export interface GetFileDeps {
  readonly files: Pick<Files, 'find'>;
  readonly clock: Clock;
}

/** A file of the account; NOT_FOUND if it is unknown, another account's, or older than seven days. */
export async function getFile(
  { files, clock }: GetFileDeps,
  ctx: RequestContext,
  fileId: string,
): Promise<StoredFile> {
  const file = await files.find(ctx, accountOf(ctx), fileId, clock.now());
  if (file === undefined) throw notFound('file');
  return file;
}
