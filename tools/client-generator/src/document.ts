import { openApiDocument } from '@fairlead-services/gateway/openapi/document';
import type { OpenApiDocument } from '@fairlead-services/gateway/openapi/document';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';

/** The OpenAPI document of this tree; the address of an installation is a setting of each client. */
export function currentDocument(): OpenApiDocument {
  return openApiDocument(routeTable, 'http://127.0.0.1:8080');
}

/** The ids of the operations with a streamed response, which the document does not declare. */
export function streamedOperations(): ReadonlySet<string> {
  return new Set(routeTable.filter(({ streams }) => streams).map(({ operationId }) => operationId));
}
