import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Files } from '../../ports/files.ts';

export interface DeleteFileDeps {
  readonly files: Pick<Files, 'remove'>;
  readonly clock: Clock;
}

/** Removes a file of the account; it is invisible at once, and its content is removed later. NOT_FOUND as for getFile. */
export async function deleteFile(
  { files, clock }: DeleteFileDeps,
  ctx: RequestContext,
  fileId: string,
): Promise<void> {
  if (!(await files.remove(ctx, accountOf(ctx), fileId, clock.now()))) throw notFound('file');
}
