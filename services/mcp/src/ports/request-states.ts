import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** States of requests that clients keep for us: they cannot be read, changed, or used for anything else. */
export interface RequestStates {
  /** The text for the client. `binding` names the only request that may bring it back. */
  seal(ctx: RequestContext, binding: readonly string[], state: JsonObject): Promise<string>;
  /** Whether a text has the form of those texts. */
  isOwn(text: string): boolean;
  /** Undefined: it was changed, belongs to another request or account, or is older than ten minutes. */
  open(ctx: RequestContext, binding: readonly string[], text: string): Promise<JsonObject | undefined>;
}
