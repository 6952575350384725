import type { JsonObject } from '../model.ts';

/** One operation of a vendor's description, whatever form the description has. */
export interface ApiOperation {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with `/`; placeholders are `{name}`. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  /** Schema of the body; undefined: there is none. */
  readonly body: JsonObject | undefined;
  /** `json`, or the media type of the body. */
  readonly bodyType: string;
  /** Whether a form names the parts of lists and objects in brackets, as Stripe's; otherwise a list is repeated. */
  readonly hasBrackets?: boolean;
  /** Schema of the successful response; undefined: it has no body. */
  readonly response: JsonObject | undefined;
  readonly isDeprecated: boolean;
  /** How the list that it returns is paged, if its form tells. */
  readonly list: ApiList | undefined;
  /** The scopes of which one is enough; empty: the description does not tell. */
  readonly scopes: readonly string[];
}

/** A list in the response of an operation. */
export interface ApiList {
  /** JSON pointer of the items; undefined: the form does not tell, or it is no list. */
  readonly items: string | undefined;
  /** Members of a manifest's `paging`; undefined: it is not paged. */
  readonly paging: JsonObject | undefined;
  /** Parameters that the paging sends. */
  readonly parameters: readonly string[];
}

/** A parameter of an operation, its body aside. */
export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  /** How a list or an object is sent in the query: repeated (default), joined by commas, or with member names in brackets. */
  readonly style?: 'repeat' | 'comma' | 'brackets';
}

/** A vendor's description of its API. */
export interface ApiDocument {
  /** The address below which all paths are. */
  readonly baseUrl: string | undefined;
  /** The operation of that id; undefined: there is none. */
  readonly operation: (id: string) => ApiOperation | undefined;
  /** The schema that a `$ref` names. */
  readonly resolve: (ref: string) => JsonObject | undefined;
  /** Query parameter that selects members of a response, as Google's `fields`. */
  readonly selection: string | undefined;
  /** Whether a response lacks its list when there are no items, as JSON of protocol buffers does. */
  readonly omitsEmptyLists?: boolean;
}
