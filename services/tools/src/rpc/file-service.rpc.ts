import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { FileSchema } from '@fairlead/contracts/tools/v1/file_service_pb';
import type { File as FileMessage, FileService } from '@fairlead/contracts/tools/v1/file_service_pb';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { StoredFile } from '../domain/file.ts';
import type { FileUrls } from '../ports/files.ts';
import { commitFile } from '../use-cases/files/commit-file.ts';
import type { CommitFileDeps } from '../use-cases/files/commit-file.ts';
import { deleteFile } from '../use-cases/files/delete-file.ts';
import type { DeleteFileDeps } from '../use-cases/files/delete-file.ts';
import { getFile } from '../use-cases/files/get-file.ts';
import type { GetFileDeps } from '../use-cases/files/get-file.ts';

/** FileService of proto/fairlead/tools/v1 over the use cases. */
export function createFileService(
  deps: CommitFileDeps & GetFileDeps & DeleteFileDeps & { readonly urls: FileUrls },
): ServiceImpl<typeof FileService> {
  const toFile = (ctx: RequestContext, file: StoredFile): FileMessage =>
    create(FileSchema, {
      ...file,
      sizeBytes: BigInt(file.sizeBytes),
      url: deps.urls.urlOf(accountOf(ctx), file.fileId, deps.clock.now()),
      createdAt: timestampFromDate(file.createdAt),
      updatedAt: timestampFromDate(file.updatedAt),
      expiresAt: timestampFromDate(file.expiresAt),
    });
  return {
    async commitFile({ fileId }, h) {
      const ctx = requestContext(h);
      return { file: toFile(ctx, await commitFile(deps, ctx, fileId)) };
    },
    async getFile({ fileId }, h) {
      const ctx = requestContext(h);
      return { file: toFile(ctx, await getFile(deps, ctx, fileId)) };
    },
    async deleteFile({ fileId }, h) {
      await deleteFile(deps, requestContext(h), fileId);
      return {};
    },
  };
}
