import type { ServiceImpl } from '@connectrpc/connect';
import { apiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import type { Application } from '@fairlead/contracts/catalog/v1/application_pb';
import type {
  ImportApplicationRequest,
  ImportService,
  OpenApiSource,
} from '@fairlead/contracts/tools/v1/import_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { issueText } from '@fairlead/service-kit/json/issue-text';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { importMcpServer } from '../use-cases/imports/import-mcp-server.ts';
import type { ImportMcpServerDeps } from '../use-cases/imports/import-mcp-server.ts';
import { importApplication } from '../use-cases/imports/import-application.ts';
import type {
  DocumentSource,
  ImportApplicationDeps,
  ImportRequest,
} from '../use-cases/imports/import-application.ts';

/** ImportService of proto/fairlead/tools/v1 over the use case. */
export function createImportService(
  deps: ImportApplicationDeps<Application> & ImportMcpServerDeps<Application>,
): ServiceImpl<typeof ImportService> {
  return {
    async importApplication(request, h) {
      const { slug, source } = request;
      if (source.case === 'mcp') {
        const { serverUrl } = source.value;
        return {
          application: await importMcpServer(deps, requestContext(h), { slug, serverUrl }),
          skipped: [],
        };
      }
      const { application, skipped } = await importApplication(deps, requestContext(h), fromRequest(request));
      return {
        application,
        skipped: skipped.map(({ operationId, ...skippedOperation }) => ({
          ...skippedOperation,
          ...(operationId !== null && { operationId }),
        })),
      };
    },
  };
}

function fromRequest({ slug, source }: ImportApplicationRequest): ImportRequest {
  switch (source.case) {
    case 'openapi':
      return { kind: 'openapi', slug, document: documentOf(source.value), options: optionsOf(source.value) };
    case 'manifestJson':
      return { kind: 'manifest', slug, manifest: source.value };
    case 'piece':
    case 'server': {
      const { package: name, version } = source.value;
      return { kind: source.case === 'server' ? 'mcp' : 'piece', slug, package: name, version };
    }
    default:
      throw validationError({ field: 'source', issue: 'is required' });
  }
}

function documentOf({ document }: OpenApiSource): DocumentSource {
  switch (document.case) {
    case 'documentJson':
      return { kind: 'text', text: document.value };
    case 'url':
      return { kind: 'url', url: document.value };
    case 'fileId':
      return { kind: 'file', fileId: document.value };
    default:
      throw validationError({ field: 'document', issue: 'is required, or `url` or `fileId`' });
  }
}

function optionsOf({
  operations,
  baseUrl,
  authenticationJson,
}: OpenApiSource): Extract<ImportRequest, { kind: 'openapi' }>['options'] {
  return {
    operations: operations?.operations.map(({ operationId, method, path, toolSlug, description }) => ({
      operationId,
      method,
      path,
      toolSlug,
      description,
    })),
    baseUrl,
    authentication: authenticationJson && authenticationOf(authenticationJson),
  };
}

function authenticationOf(json: Uint8Array) {
  const { data, error } = apiAuthentication.safeParse(JSON.parse(Buffer.from(json).toString('utf8')), {
    error: issueText,
  });
  if (data !== undefined) return data;
  throw validationError(
    ...error.issues.map(({ path, message }) => ({
      field: ['authentication', ...path.map(String)].join('.'),
      issue: message,
    })),
  );
}
