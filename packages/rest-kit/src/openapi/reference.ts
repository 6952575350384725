/** A reference to a part under `components`. */
export interface Reference {
  readonly $ref: string;
}
