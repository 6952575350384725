import type { FieldIssue } from '@fairlead/errors/api-error';

/** A field that does not match its declaration; `isEnum` marks text that is none of the accepted values. */
export interface Finding extends FieldIssue {
  readonly isEnum: boolean;
}
