import {
  importApplicationBody,
  importedApplication,
  importRequest,
  presentImport,
} from '@fairlead/rest-records/import-application';
import { defineRoute } from '../define-route.ts';

export const importApplication = defineRoute(
  {
    operationId: 'importApplication',
    method: 'post',
    path: '/admin/v1/applications/import',
    tags: ['Administration'],
    summary: 'Import an application',
    description:
      'Makes an application of the account of an OpenAPI document, of a manifest, of an MCP server or of a package that the operator allows. The tools of a document have its ' +
      'texts, and their calls go to its server with the credential of a connection. A slug that is taken is CONFLICT.',
    services: ['imports'],
    resource: 'application',
    permission: 'administration',
    callsApplication: true,
    maxBodyValues: 500_000,
    body: importApplicationBody,
    passesOn: ['document', 'manifest'],
    response: importedApplication,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({ ctx, body, services, nameRecord }) => {
    nameRecord(body.slug);
    return presentImport(await services.imports.importApplication(ctx, importRequest(body)));
  },
);
