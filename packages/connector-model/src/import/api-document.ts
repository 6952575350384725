import type { JsonObject } from '../json.ts';

/** One operation of a vendor's description, whatever form the description has. */
export interface ApiOperation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path; begins with `/`, with placeholders like `{name}`. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  /** Schema of the request body; undefined: there is none. */
  readonly body: JsonObject | undefined;
  /** `json`, or the media type of the request body. */
  readonly bodyType: string;
  /** Whether a form names the parts of lists and objects in brackets, like Stripe's; otherwise the name of a list is repeated. */
  readonly hasBrackets?: boolean;
  /** Schema of the successful response; undefined: it has no body. */
  readonly response: JsonObject | undefined;
  readonly isDeprecated: boolean;
  /** Paging of the returned list, if the description's form reveals it. */
  readonly list: ApiList | undefined;
  /** Scopes, one of which suffices; empty: not described. */
  readonly scopes: readonly string[];
}

/** A list in an operation's response. */
export interface ApiList {
  /** JSON pointer to the items; undefined: not revealed, or not a list. */
  readonly items: string | undefined;
  /** A manifest's `paging` without defaults; undefined: not paged. */
  readonly paging: JsonObject | undefined;
  /** Parameters that are set by the paging. */
  readonly parameters: readonly string[];
}

/** A parameter of an operation, except its body. */
export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** The form of a list or object in the query: repeated (default), joined by commas, or with member names in brackets. */
  readonly style?: 'repeat' | 'comma' | 'brackets';
}

/** A vendor's description of its API. */
export interface ApiDocument {
  /** The address below which all paths lie. */
  readonly baseUrl: string | undefined;
  /** The operation with this id; undefined: there is none. */
  readonly operation: (id: string) => ApiOperation | undefined;
  /** The schema that a `$ref` refers to. */
  readonly resolve: (ref: string) => JsonObject | undefined;
  /** Query parameter that selects response members, like Google's `fields`. */
  readonly selection: string | undefined;
  /** Whether a response without items lacks its list, as in protobuf JSON. */
  readonly omitsEmptyLists?: boolean;
}
