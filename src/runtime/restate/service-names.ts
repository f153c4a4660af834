/** Ends a namespace. No encoded name holds it: there a dot is followed by two digits. */
const separator = '..';
/** Stands before a name that Restate would not take as it is. */
const marker = 'w.-';

/**
 * The names of the Restate services that run workflows: letters, digits, `-` and `_` stay, every other byte becomes `.` and two hex digits.
 * A namespace keeps installations apart that share an engine.
 */
export class ServiceNames {
  readonly #prefix: string;

  constructor(namespace: string | undefined) {
    this.#prefix = namespace ? `${encoded(namespace)}${separator}` : '';
  }

  /** An SQL condition on the service's name that holds for those of this namespace. */
  get condition(): string {
    // Not with LIKE: to that an underscore is any character.
    return this.#prefix
      ? `starts_with(target_service_name, '${this.#prefix}')`
      : `strpos(target_service_name, '${separator}') = 0`;
  }

  of(workflow: string): string {
    const name = encoded(workflow);
    return `${this.#prefix}${this.#prefix && name.startsWith(marker) ? name.slice(marker.length) : name}`;
  }

  workflow(service: string): string {
    const name = service.slice(this.#prefix.length);
    const bare = name.startsWith(marker) ? name.slice(marker.length) : name;
    return bare.replace(/(?:\.[0-9a-f]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('.', ''), 'hex').toString());
  }
}

function encoded(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `.${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return /^[A-Za-z]/.test(name) && !/^(restate|openapi)/i.test(name) ? name : `${marker}${name}`;
}
