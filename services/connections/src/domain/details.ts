import type { FieldIssue } from '@fairlead/errors/api-error';
import { validationError } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The members of a connection that people write and PUT replaces; null clears a member. */
export interface ConnectionDetails {
  readonly connectionName: string;
  readonly description: string | null;
  /** An object. */
  readonly metadata: LazyJson;
}

const NAME_MAX_CHARACTERS = 200;
const DESCRIPTION_MAX_CHARACTERS = 2_000;
const METADATA_MAX_BYTES = 16 * 1024;

/** Throws VALIDATION_ERROR for metadata that is too large, or not an object. */
export function checkMetadata(metadata: LazyJson): void {
  const issues = metadataIssues(metadata);
  if (issues.length > 0) throw validationError(...issues);
}

/** Returns `details`, or throws VALIDATION_ERROR naming every invalid member. Source: rows completion.connections.33 and 34. */
export function checkDetails(details: ConnectionDetails): ConnectionDetails {
  const issues: FieldIssue[] = [];
  const nameLength = characters(details.connectionName);
  if (nameLength < 1 || nameLength > NAME_MAX_CHARACTERS) {
    issues.push({ field: 'connectionName', issue: `must have 1 to ${NAME_MAX_CHARACTERS} characters` });
  } else if (details.connectionName.trim() === '') {
    issues.push({ field: 'connectionName', issue: 'must not be blank' });
  }
  if (characters(details.description ?? '') > DESCRIPTION_MAX_CHARACTERS) {
    issues.push({
      field: 'description',
      issue: `must have at most ${DESCRIPTION_MAX_CHARACTERS} characters`,
    });
  }
  issues.push(...metadataIssues(details.metadata));
  if (issues.length > 0) throw validationError(...issues);
  return details;
}

/** Throws VALIDATION_ERROR unless the bytes are a JSON object; they are stored and returned unchanged. */
function metadataIssues(metadata: LazyJson): readonly FieldIssue[] {
  if (metadata.bytes.length <= METADATA_MAX_BYTES) {
    metadata.parseObject();
    return [];
  }
  return [{ field: 'metadata', issue: `must be at most ${METADATA_MAX_BYTES / 1024} KiB of JSON` }];
}

function characters(text: string): number {
  return Array.from(text).length;
}
