import type { FieldIssue } from '@fairlead/errors/api-error';

/** A field that does not match its declaration; `isEnum` marks a text that is not one of the accepted values. */
export interface Finding extends FieldIssue {
  readonly isEnum: boolean;
}
