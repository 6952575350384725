import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { StoredFile } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';

export interface CommitFileDeps {
  readonly files: Pick<Files, 'commit'>;
  readonly clock: Clock;
}

/** Turns an upload into a file of the account, kept for seven days; NOT_FOUND if there is no such upload. */
export async function commitFile(
  { files, clock }: CommitFileDeps,
  ctx: RequestContext,
  fileId: string,
): Promise<StoredFile> {
  const file = await files.commit(ctx, accountOf(ctx), fileId, clock.now());
  if (file === undefined) throw notFound('file');
  return file;
}
