import { openApiDocument } from '@fairlead-services/gateway/openapi/document';
import type { OpenApiDocument } from '@fairlead-services/gateway/openapi/document';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';

/** The OpenAPI document of this tree; where an installation stands is each client's own setting. */
export function currentDocument(): OpenApiDocument {
  return openApiDocument(routeTable, 'http://127.0.0.1:8080');
}

/** The ids of the operations whose answer is sent while it is made, which the document does not say. */
export function streamedOperations(): ReadonlySet<string> {
  return new Set(routeTable.filter(({ streams }) => streams).map(({ operationId }) => operationId));
}
