import type { JsonObject } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';
import { isSchemaProfile, restoreInputs, SCHEMA_PROFILES } from '@fairlead/tool-schemas/profile';

/**
 * The fields as the tool's own schema describes them, from those that a model made by the schema in the dialect `schemaProfile` (empty:
 * the tool's own). VALIDATION_ERROR for an unknown dialect.
 */
export function ownFields(inputSchema: JsonObject, fields: JsonObject, schemaProfile: string): JsonObject {
  if (schemaProfile === '') return fields;
  if (isSchemaProfile(schemaProfile)) return restoreInputs(inputSchema, schemaProfile, fields);
  throw validationError({ field: 'schemaProfile', issue: `must be one of ${SCHEMA_PROFILES.join(', ')}` });
}
