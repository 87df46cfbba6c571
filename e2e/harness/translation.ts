import type { Page } from '@playwright/test';

/**
 * From now on each text is replaced by a `font` element in another one, as the translation of Chrome and Edge does, which keeps
 * no text node of the page.
 */
export async function translate(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const isText = (node: Node): node is Text => {
      const parent = node.parentElement;
      return (
        node.nodeType === Node.TEXT_NODE &&
        /\S/.test(node.textContent ?? '') &&
        parent !== null &&
        !parent.closest('font, head, script, style, textarea, svg')
      );
    };
    const replace = (text: Text) => {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    };
    const replaceIn = (node: Node) => {
      if (isText(node)) return replace(node);
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) if (isText(walker.currentNode)) texts.push(walker.currentNode);
      texts.forEach(replace);
    };
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) replaceIn(node);
    }).observe(document, { childList: true, characterData: true, subtree: true });
  });
}

/**
 * The texts that have siblings: the page cannot change or remove them once they are translated. The mark of a required field
 * stands beside its label, whose text never changes.
 */
export function exposedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const counts = (node: Node) =>
      node instanceof Element
        ? !node.matches('.mantine-InputWrapper-required')
        : node.nodeType === Node.TEXT_NODE && /\S/.test(node.textContent ?? '');
    const isExposed = (font: Element) =>
      font.parentElement?.tagName !== 'FONT' &&
      [...(font.parentElement?.childNodes ?? [])].some((node) => node !== font && counts(node));
    return [...document.querySelectorAll('font')]
      .filter(isExposed)
      .map((font) => `${font.textContent} in ${font.parentElement?.outerHTML.slice(0, 200)}`);
  });
}
