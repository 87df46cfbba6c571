-- Cloud and console have separate schemas and cannot share a database.
create database sillage_cloud encoding 'UTF8' template template0;
create database sillage_console encoding 'UTF8' template template0;
