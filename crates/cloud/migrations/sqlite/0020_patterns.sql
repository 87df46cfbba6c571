-- The form of a text: a regular expression that it has to match from end to end.
alter table template_property add column pattern text;
