const mapOf = (plain: string, placed: string): Map<string, string> => {
  const signs = [...placed];
  return new Map([...plain].map((sign, index) => [sign, signs[index] as string]));
};
const SUPERSCRIPT = mapOf('0123456789+-−bcdfghijklmnprstuvwxyz', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵇᶜᵈᶠᵍʰⁱʲᵏˡᵐⁿᵖʳˢᵗᵘᵛʷˣʸᶻ');
const SUBSCRIPT = mapOf('0123456789ijkmnptx', '₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₚₜₓ');

/** Numbers, lists of them, charges, and powers with a letter. Others are mostly endings: 1st, XIXe, Mme. */
const HIGH = /^(?:[+−-]?\d{1,4}(?:[,–] ?\d{1,4})*|\d{0,2}[+−-]|\d?[b-df-np-z](?:[+−-]\d{1,3})?)$/;
/** No superscript characters exist for these. */
const BROKEN = /^[+−-]?\d{1,4}[./]\d{1,4}$/;
const LOW = /^[ijkmnptx]$/;

/** Writes superscript text with Unicode characters, because 10⁶ is not 106. */
export function writeSuperscript(text: string): string {
  const body = text.trim();
  if (BROKEN.test(body)) return `^(${body})`;
  return HIGH.test(body) ? body.replace(/./g, (sign) => SUPERSCRIPT.get(sign) ?? sign) : text;
}

/**
 * Writes subscript text with Unicode characters, such as xᵢ. Only where plain digits would be ambiguous: CO2
 * stays as it is.
 */
export function writeSubscript(text: string, before: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && /[\d/⁄]$/.test(before);
  return isNumber || LOW.test(text) ? text.replace(/./g, (sign) => SUBSCRIPT.get(sign) ?? sign) : text;
}
